export const INVALID_PARAMS = -32602
export const METHOD_NOT_FOUND = -32601
export const INTERNAL_ERROR = -32603
/** Only in revisions up to 2025-11-25; later ones say INVALID_PARAMS. */
export const RESOURCE_NOT_FOUND = -32002
export const HEADER_MISMATCH = -32020
