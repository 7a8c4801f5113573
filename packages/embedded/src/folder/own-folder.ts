/** What the server keeps for itself beside the notebooks: hidden, and never served. */
export const OWN_FOLDER = '.quire'
