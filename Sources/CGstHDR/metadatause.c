#include "metadatause.h"
#include "enumtype.h"

ENUM_TYPE(metadata_use_get_type, "GstHdrMetadataUse",
          {GST_HDR_METADATA_USE_AUTO, "Dolby Vision and HDR10+ metadata are applied where pictures have them", "auto"},
          {GST_HDR_METADATA_USE_IGNORE, "Only the base layer and static metadata are used", "ignore"})

GType gst_hdr_metadata_use_get_type(void) { return metadata_use_get_type(); }
