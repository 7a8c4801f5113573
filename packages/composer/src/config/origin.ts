/** Which machine and port an address leads to; of one with variables there, all of it. */
export function originOf(address: unknown): unknown {
  return typeof address === 'string' ? (URL.parse(address)?.origin ?? address) : address
}
