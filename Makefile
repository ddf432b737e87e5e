# The front door: every target is one script in tools/, which says what it does.
.PHONY: help deps demo build check test test-all test-long mutate coverage test-newer identify-study bench fuzz lab bases web clean

help:
	@echo 'make demo       installs what is missing, builds, and does the main job on real input'
	@echo 'make deps       only installs what the build needs (Debian, Ubuntu), or names what is missing'
	@echo 'make build      release build in build/release'
	@echo 'make check      the quick tests, under a minute'
	@echo 'make test       the tests, with sanitizers and other processors, about 12 minutes on two cores'
	@echo 'make test-all   the same in full, an hour or more'
	@echo 'make bench      against this machine and the peers, which it installs'
	@echo 'make test-long  hours against MPFR'
	@echo 'make test-newer the quick tests and the Python package on newer releases of Debian (as root)'
	@echo 'make identify-study what identify says of 40,000 generated arrays: hours, resumed where it was stopped'
	@echo 'make fuzz       the fuzzers, a minute each (FUZZ_SECONDS=N for longer)'
	@echo 'make lab        trains small models and measures what documents say of them, below 90 minutes (LAB=...: options)'
	@echo 'make bases      the smallest bases for contexts to 1048576, proved: hours, goes on where it stopped (BASES=...: options)'
	@echo 'make mutate     deliberate faults, one at a time: which tests find them (hours)'
	@echo 'make coverage   which lines of src/ and formats/ the tests reach, in a build of its own'
	@echo 'make web        the explorer: build/web/sinpos.html, one page with the C code as WebAssembly'
	@echo 'make clean      removes build/'

deps:
	@bash tools/deps.sh build

demo:
	@bash tools/demo.sh

build:
	@bash tools/build.sh

check:
	@bash tools/check.sh

test:
	@bash tools/test.sh

test-all:
	@bash tools/test.sh --all

test-long:
	@bash tools/test-long.sh

test-newer:
	@bash tools/test-newer.sh

identify-study:
	@bash tools/identify-study.sh

bench:
	@bash tools/bench.sh

fuzz:
	@bash tools/fuzz.sh

lab:
	@bash tools/lab.sh $(LAB)

bases:
	@bash tools/build.sh
	@python3 tools/bases.py $(BASES)

mutate:
	@bash tools/mutate.sh

coverage:
	@bash tools/coverage.sh

web:
	@bash tools/web.sh

clean:
	rm -rf build
