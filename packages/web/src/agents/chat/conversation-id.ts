const BYTES = 12

/** By chance, and of a shape that the service takes. `crypto.randomUUID` is not there on plain HTTP. */
export function createConversationId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
