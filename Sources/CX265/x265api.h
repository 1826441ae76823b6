/* libx265 for Swift: functions in place of its macros, and for the differences between its versions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <x265.h>

/* The library's functions for pictures of a bit depth (8, 10 or 12); NULL where it was built without that depth, or
 * with other structures than those of the header that this was compiled with. */
static inline const x265_api *cx265_api(int depth) {
    const x265_api *api = x265_api_get(depth);
    return api && api->bit_depth == depth && api->sizeof_param == (int)sizeof(x265_param) &&
                   api->sizeof_picture == (int)sizeof(x265_picture)
               ? api
               : NULL;
}

/* The names of presets and of tunes, counted from 1; NULL for 0 and beyond the last one. */
static inline const char *cx265_preset_name(int number) {
    return number > 0 && number < (int)(sizeof(x265_preset_names) / sizeof(x265_preset_names[0]))
               ? x265_preset_names[number - 1]
               : NULL;
}
static inline const char *cx265_tune_name(int number) {
    return number > 0 && number < (int)(sizeof(x265_tune_names) / sizeof(x265_tune_names[0]))
               ? x265_tune_names[number - 1]
               : NULL;
}

/* The API's encoder_encode. `output` may be NULL. */
static inline int cx265_encode(const x265_api *api, x265_encoder *encoder, x265_nal **nals, uint32_t *count,
                               x265_picture *input, x265_picture *output) {
#if X265_BUILD >= 210 && X265_BUILD < 213
    /* Builds 210 to 212 (version 4.0) return a picture for each layer. */
    x265_picture *layers[MAX_SCALABLE_LAYERS] = {output};
    return api->encoder_encode(encoder, nals, count, input, layers);
#else
    return api->encoder_encode(encoder, nals, count, input, output);
#endif
}

/* Frees parameters together with the copies of texts in them, which versions before 3.6 do not free. */
static inline void cx265_param_free(const x265_api *api, x265_param *param) {
#if X265_BUILD < 209
    const char *const texts[] = {
        param->numaPools,
        param->csvfn,
        param->scalingLists,
        param->analysisReuseFileName,
        param->analysisSave,
        param->analysisLoad,
        param->naluFile,
        param->toneMapFile,
        param->rc.statFileName,
        param->rc.lambdaFileName,
        param->masteringDisplayColorVolume,
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free((void *)texts[i]);
#endif
    api->param_free(param);
}

static inline void cx265_picture_set_plane(x265_picture *picture, int index, void *data, int stride) {
    picture->planes[index] = data;
    picture->stride[index] = stride;
}
