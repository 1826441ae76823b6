import HDRJSON

/// The JSON that the command writes and reads.
typealias JSON = HDRJSON.JSON
