/* The raw video formats of hdrconvert, hdrcompositor, edrsink and hdrvideosink. The formats that these elements have in
 * common follow those that the elements prefer. A new format is a name here and a layout in
 * Sources/HDRKernels/API/PixelLayout.swift. */
#ifndef GST_HDR_FORMATS_H
#define GST_HDR_FORMATS_H

#define GST_HDR_MORE_FORMATS                                                                                    \
    "P012_LE, P016_LE, RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, RGB, BGR, RGB10A2_LE, BGR10A2_LE, "      \
    "ARGB64_LE, RGBA64_LE, GBR_10LE, GBR_12LE, GBRA_12LE, AYUV64, v210, NV16, NV61, NV24, YUY2, YVYU, "         \
    "UYVY, Y210, Y212_LE, v216, AYUV, VUYA, Y410, Y412_LE, GBR, GBRA_10LE, BGRA64_LE, ABGR64_LE, GRAY8, "       \
    "GRAY16_LE, I420_10BE, I420_12BE, I422_10BE, I422_12BE, Y444_10BE, Y444_12BE, Y444_16BE, P010_10BE, "       \
    "P012_BE, P016_BE, Y212_BE, Y412_BE, GBR_10BE, GBR_12BE, GBRA_10BE, GBRA_12BE, ARGB64_BE, RGBA64_BE, "      \
    "BGRA64_BE, ABGR64_BE, GRAY16_BE, A420, A420_10LE, A422_10LE, A444_10LE, A420_10BE, A422_10BE, A444_10BE, " \
    "GBRA"

/* The formats of the elements that convert pictures, with those that are used most first. */
#define GST_HDR_CONVERTER_FORMATS                                                                   \
    "{ I420, YV12, NV12, NV21, Y42B, Y444, I420_10LE, I420_12LE, I422_10LE, I422_12LE, Y444_10LE, " \
    "Y444_12LE, Y444_16LE, P010_10LE, " GST_HDR_MORE_FORMATS " }"

/* The formats of the elements that show pictures, with those that decoders of HDR produce first. */
#define GST_HDR_SINK_FORMATS                                                                        \
    "{ P010_10LE, NV12, I420, I420_10LE, YV12, NV21, Y42B, Y444, I420_12LE, I422_10LE, I422_12LE, " \
    "Y444_10LE, Y444_12LE, Y444_16LE, " GST_HDR_MORE_FORMATS " }"

#endif
