# The libraries and the command line as one WebAssembly module: make -f web/wasm/build.mk, from the root.
# JANSSON names the unpacked sources of Jansson; empty: without them .safetensors and config.json are not read.
OUT ?= build/web
CLANG ?= clang
JANSSON ?=
TARGET := --target=wasm32-wasi --sysroot=/usr
HERE := web/wasm

# What needs FLINT, MPI, other instruction sets, or a machine to measure stays out.
LEFT_OUT := src/kernels/kernels_avx% src/kernels/kernels_neon.c analysis/curves/product_avx% \
    analysis/curves/product_avx512.c analysis/bases/base_verify_above.c analysis/bases/base_verify_frequency.c \
    analysis/curves/continuum_evaluate.c analysis/curves/continuum_shape.c cli/commands/bench.c cli/explore/% cli/mpi/%
FOUND := $(wildcard src/*.c src/*/*.c analysis/*/*.c formats/*.c common/*.c advise/*.c plot/*.c cli/*.c cli/*/*.c)
SOURCES := $(filter-out $(LEFT_OUT) $(if $(JANSSON),,formats/json.c formats/model_json.c formats/safetensors.c), \
    $(FOUND)) $(HERE)/explorer.c
PLACES := conventions include src common advise plot formats cli $(wildcard cli/*/) $(wildcard analysis/*/)

WARNINGS := -Wall -Wextra -Werror -Wno-unused-function -Wno-tautological-constant-out-of-range-compare
FLAGS := $(TARGET) -std=gnu11 -O2 -ffp-contract=off -fno-math-errno -fvisibility=hidden $(WARNINGS) -D_GNU_SOURCE= -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_MMAN \
    -DSINPOS_BUILD -DSINPOS_STATIC -DSINPOS_PORTABLE $(if $(JANSSON),-DSINPOS_HAVE_JANSSON) \
    -include $(HERE)/posix.h -isystem $(HERE)/include $(addprefix -I,$(PLACES)) $(if $(JANSSON),-isystem $(JANSSON)/src) \
    -isystem $(OUT)/jansson
LINK = $(CLANG) $(TARGET) -mexec-model=reactor -o $@ $^ -lm -lwasi-emulated-getpid -lwasi-emulated-mman -Wl,--gc-sections -Wl,--strip-all \
    -Wl,-z,stack-size=4194304 -Wl,--stack-first -Wl,--export=sinpos_main

OBJECTS := $(SOURCES:%.c=$(OUT)/objects/%.o) $(OUT)/objects/catalogue.o
JANSSON_OBJECTS := $(if $(JANSSON),$(patsubst $(JANSSON)/src/%.c,$(OUT)/objects/jansson/%.o,$(wildcard $(JANSSON)/src/*.c)))

$(OUT)/sinpos.wasm: $(OBJECTS) $(JANSSON_OBJECTS)
	$(LINK)

# The golden hashes' own test, for tests/web.
GOLDEN := tests/golden/golden_hashes.c tests/golden/cases.c tests/support/support.c
$(OUT)/golden.wasm: $(filter-out %/cli/main.o,$(OBJECTS)) $(GOLDEN:%.c=$(OUT)/objects/%.o) $(JANSSON_OBJECTS)
	$(LINK)

$(OUT)/objects/tests/%.o: FLAGS += -Dmain=sinpos_main -Dsha256_begin=golden_begin -Dsha256_end=golden_end -Itests/golden -Itests/support
$(OUT)/objects/cli/main.o: FLAGS += -Dmain=sinpos_main
$(OUT)/objects/src/kernels/%.o: FLAGS += -O3
# Names that are hidden in a library of their own elsewhere.
$(OUT)/objects/formats/%.o: FLAGS += -Djson_read=formats_json_read -Doutput_write=formats_output_write

$(OUT)/objects/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) $(FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/conventions.c: gen/catalogue.py $(wildcard conventions/*.toml) conventions/meson.build
	@mkdir -p $(@D)
	python3 gen/catalogue.py $@ $(shell sed -n "s/^  '\([a-z0-9_]*\)',$$/conventions\/\1.toml/p" conventions/meson.build)

$(OUT)/objects/catalogue.o: $(OUT)/conventions.c
	@mkdir -p $(@D)
	$(CLANG) -Isrc/conventions $(FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/objects/jansson/%.o: $(JANSSON)/src/%.c
	@mkdir -p $(@D)
	$(CLANG) $(TARGET) -O2 -w -DHAVE_STDINT_H=1 -isystem $(OUT)/jansson -c -o $@ $<

-include $(OBJECTS:.o=.d)
