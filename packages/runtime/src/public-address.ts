/** Where clients find a path of ours: behind the public address, or the prefix that the service is mounted under. */
export function publicAddress(publicUrl: string | undefined, path: string): string {
  return `${(publicUrl ?? '').replace(/\/+$/, '')}${path}`
}

/** The same with scheme and host: those that the caller has asked, where nothing else is known. */
export function absoluteAddress(publicUrl: string | undefined, path: string, asked: string): string {
  return new URL(publicAddress(publicUrl, path), asked).href
}
