import { configFrom, dataSetting } from '../config.ts'
import { ensureToken, rotateToken, tokenFile } from '../token-file.ts'

export type TokenAction = 'make' | 'where' | 'rotate'

/** Prints where the token lies, never the token itself: what is printed ends up in logs and histories. */
export function runToken(
  action: TokenAction,
  flags: Record<string, unknown>,
  output: NodeJS.WritableStream,
): void {
  const path = tokenFile(configFrom(dataSetting, flags).dataDir)
  if (action === 'make') ensureToken(path)
  if (action === 'rotate') rotateToken(path)
  output.write(`${path}\n`)
}
