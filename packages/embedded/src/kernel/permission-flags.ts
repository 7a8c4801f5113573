/** What one kernel's process may touch. All paths are absolute and real: the permission model compares them as they are written. */
export interface Reach {
  readonly pyodideFolder: string
  readonly programFolder: string
  readonly notebookFolder: string
}

/** Python's memory, of one kernel: 2 GiB. */
const WASM_PAGES = 32_768

/** The wall around a kernel. Whatever is not named is denied: other files, programs, threads, addons, WASI, the debugger. */
export function toPermissionFlags({ pyodideFolder, programFolder, notebookFolder }: Reach): string[] {
  return [
    '--permission',
    ...[pyodideFolder, programFolder, notebookFolder].map((folder) => `--allow-fs-read=${folder}`),
    `--allow-fs-write=${notebookFolder}`,
    // The permission model does not see what ATTACH opens.
    '--no-experimental-sqlite',
    // A flag of V8 that is set later could turn off the bounds of WebAssembly's memory, or write traces anywhere.
    '--freeze-flags-after-init',
    '--disable-sigusr1',
    '--no-addons',
    '--no-global-search-paths',
    '--no-warnings',
    `--wasm-max-mem-pages=${WASM_PAGES}`,
  ]
}
