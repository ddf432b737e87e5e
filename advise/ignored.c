/* ignored.c - fields of a configuration without effect: those without which all frequencies stay as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "parameter_list.h"
#include "words.h"

/* Fields outside the rope block that state rotary positions. */
static const char words[] =
    "rope_theta rope_scaling rope_parameters rope_local_base_freq local_rope_theta global_rope_theta "
    "compress_rope_theta rotary_emb_base rope_ratio rotary_pct rope_pct partial_rotary_factor rotary_dim "
    "max_position_embeddings n_positions max_seq_len seq_length original_max_position_embeddings";

/* What an encoding is made of, in short and in long sequences. */
struct state {
    double *theta[2], amplitude[2];
    size_t n[2];
};

struct search {
    struct model *model;
    struct state all; /* with every field */
    struct model_config config;
    const char *block; /* the name of the rope block; NULL: there is none */
    bool has_memory;
};

/* --------------------------------------------------------------------------------------------------------- effects */

static void free_state(struct state *state)
{
    free(state->theta[0]);
    free(state->theta[1]);
    *state = (struct state){.n = {0}};
}

static bool take_sequence(struct search *s, struct state *state, const struct recipe *stated, size_t k)
{
    struct recipe recipe = *stated;
    const double lengths[] = {1, (double)s->model->subject->context};
    if (recipe_takes(&recipe, "seq_len"))
        recipe_number(&recipe, "seq_len", lengths[k]);
    const sinpos_status status = recipe_tones(&state->theta[k], &state->n[k], &state->amplitude[k], &recipe, NULL);
    s->has_memory = s->has_memory && status != SINPOS_E_MEMORY;
    return status == SINPOS_OK;
}

/* False where the configuration, as it is now, is refused. */
static bool take_state(struct search *s, struct state *state)
{
    const struct advice_subject *subject = s->model->subject;
    struct config_report report;
    struct model_config config;
    struct parameter_list list = {.room = 0};
    *state = (struct state){.n = {0}};
    int code = model_config_open(&config, subject->config, subject->layers, &report);
    if (code == CONFIG_DONE)
        code = parameter_list_config(&list, &config, sinpos_convention_find(subject->convention), true);
    s->has_memory = s->has_memory && code >= 0;
    const struct recipe recipe = {.convention = subject->convention, .stated = &list.object};
    const bool good = code == CONFIG_DONE && take_sequence(s, state, &recipe, 0) && take_sequence(s, state, &recipe, 1);
    parameter_list_free(&list);
    return good;
}

static bool same_state(const struct state *a, const struct state *b)
{
    bool same = true;
    for (size_t k = 0; k < 2 && same; k++) {
        same = a->n[k] == b->n[k] && a->amplitude[k] == b->amplitude[k] &&
               memcmp(a->theta[k], b->theta[k], a->n[k] * sizeof(double)) == 0;
    }
    return same;
}

static bool has_no_effect(struct search *s)
{
    struct state now;
    const bool same = take_state(s, &now) && same_state(&now, &s->all);
    free_state(&now);
    return same;
}

/* As if the field were not there. */
static bool is_needless(struct search *s, const config_value *object, size_t i)
{
    char other[] = "-", *name = object->names[i];
    object->names[i] = other;
    const bool same = has_no_effect(s);
    object->names[i] = name;
    return same;
}

/* Another value changes something: the one that is stated holds without it too. */
static bool is_default(struct search *s, const config_value *object, size_t i)
{
    config_value *value = &object->items[i];
    const double number = value->number;
    if (value->kind != CONFIG_NUMBER)
        return false;
    value->number = number == 0 ? 1 : number / 2;
    const bool changes = !has_no_effect(s);
    value->number = number;
    return changes;
}

/* ----------------------------------------------------------------------------------------------------------- facts */

static size_t count_names(const config_value *value, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; (config_is(value, CONFIG_OBJECT) || config_is(value, CONFIG_LIST)) && i < value->n; i++) {
        count += value->kind == CONFIG_OBJECT && strcmp(value->names[i], name) == 0;
        count += count_names(&value->items[i], name);
    }
    return count;
}

static void add_frequencies(struct text_buffer *command, const struct recipe *recipe)
{
    recipe_words(command, recipe);
    buffer_text(command, " --set output=inv_freq");
}

/* Without the field where that is one edit; else with the value in use. */
static struct text_buffer frequencies_command(const struct search *s, const char *name)
{
    const struct advice_subject *subject = s->model->subject;
    struct text_buffer command = {NULL, 0, 0, false};
    struct recipe recipe = s->model->recipe;
    const config_value value = recipe_value(&recipe, name);
    if (subject->path != NULL && count_names(subject->config, name) == 1) {
        buffer_format(&command, "sed 's/\"%s\"/\"unused\"/' ", name);
        buffer_shell_word(&command, subject->path);
        buffer_format(&command, " | sinpos table --from-config /dev/stdin%s%s", subject->more[0] == '\0' ? "" : " ",
                      subject->more);
        recipe.words = "";
        recipe.stated = NULL;
        add_frequencies(&command, &recipe);
    } else {
        if (recipe_takes(&recipe, name) && (value.kind == CONFIG_NUMBER || value.kind == CONFIG_TEXT))
            recipe_set(&recipe, name, value);
        buffer_text(&command, "sinpos table");
        add_frequencies(&command, &recipe);
    }
    buffer_text(&command, " --type f64 --quiet -o - | sinpos audit -");
    add_frequencies(&command, &s->model->recipe);
    return command;
}

static void say_ignored(struct search *s, struct advice_fact *fact, const config_value *object, size_t i)
{
    struct advice *advice = s->model->advice;
    const char *name = object->names[i];
    const bool is_length = list_has_word("max_position_embeddings n_positions max_seq_len seq_length", name);
    fact_say(advice, fact, "%s", fact->id + strlen("ignored."));
    if (object->items[i].kind == CONFIG_NUMBER)
        fact_say(advice, fact, " %.15g", object->items[i].number);
    if (is_length)
        fact_say(advice, fact,
                 " changes no frequency, it says how many positions the model takes: all %zu stay as "
                 "they are without it.",
                 s->model->n);
    else if (is_default(s, object, i))
        fact_say(advice, fact, " holds without being stated: all %zu frequencies stay as they are without it.",
                 s->model->n);
    else
        fact_say(advice, fact, " has no effect: all %zu frequencies stay as they are without it.", s->model->n);
}

static void add_ignored(struct search *s, const char *prefix, const config_value *object, size_t i)
{
    struct model *model = s->model;
    struct advice_fact *fact = fact_add(model->advice, (double)model->n, "ignored.%s%s%.40s", prefix,
                                        prefix[0] == '\0' ? "" : ".", object->names[i]);
    if (fact == NULL)
        return;
    if (object->items[i].kind == CONFIG_NUMBER)
        fact_value(fact, "stated", object->items[i].number);
    fact_value(fact, "frequencies", (double)model->n);
    say_ignored(s, fact, object, i);
    struct text_buffer command = frequencies_command(s, object->names[i]);
    fact_command(model->advice, fact, &command);
}

/* --------------------------------------------------------------------------------------------------------- looking */

static bool is_candidate(const struct search *s, const config_value *object, size_t i)
{
    const char *name = object->names[i];
    const bool is_stated = object->items[i].kind != CONFIG_NULL;
    const bool is_dealt = s->model->n_axes > 1; /* the block says which coordinate turns a tone */
    if (is_dealt && (object == s->config.rope || list_has_word("rope_scaling rope_parameters", name)))
        return false;
    return is_stated &&
           (object == s->config.rope ? !list_has_word("rope_type type", name) : list_has_word(words, name));
}

/* The block as a whole may have none: then what is in it has none either. */
static void look(struct search *s, const char *prefix, const config_value *object)
{
    for (size_t i = 0; i < config_members(object) && s->has_memory; i++)
        if (is_candidate(s, object, i) && is_needless(s, object, i)) {
            if (&object->items[i] == s->config.rope)
                s->block = NULL;
            add_ignored(s, prefix, object, i);
        }
}

static const char *block_name(const config_value *object, const config_value *block)
{
    for (size_t i = 0; i < config_members(object); i++)
        if (&object->items[i] == block ||
            (config_is(&object->items[i], CONFIG_OBJECT) && block_name(&object->items[i], block) != NULL))
            return object->names[i];
    return NULL;
}

static void look_everywhere(struct search *s)
{
    const struct model_config *c = &s->config;
    s->block = c->rope == NULL ? NULL : block_name(c->text, c->rope);
    look(s, "", c->text);
    if (c->all != c->text)
        look(s, "", c->all);
    if (s->block != NULL)
        look(s, s->block, c->rope);
}

sinpos_status advise_ignored(struct model *model)
{
    const struct advice_subject *subject = model->subject;
    struct search s = {.model = model, .has_memory = true};
    struct config_report report;
    if (subject->config == NULL)
        return SINPOS_OK;
    if (model_config_open(&s.config, subject->config, subject->layers, &report) == CONFIG_DONE &&
        take_state(&s, &s.all))
        look_everywhere(&s);
    free_state(&s.all);
    return s.has_memory ? SINPOS_OK : SINPOS_E_MEMORY;
}
