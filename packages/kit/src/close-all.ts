/** Closes one part after the other, in the order given, to the end even when some fail; then throws what failed. */
export async function closeAll(parts: readonly { close(): void | Promise<void> }[]): Promise<void> {
  const failures: unknown[] = []
  for (const part of parts) {
    try {
      await part.close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts could not be closed`)
}
