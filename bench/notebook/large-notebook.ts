/** Cells with some output. */
export function largeNotebook(length = 1000) {
  const cells = Array.from({ length }, (_, index) => ({
    cell_type: 'code',
    id: `cell-${index}`,
    metadata: {},
    execution_count: index + 1,
    source: `x${index} = [n * ${index} for n in range(10)]\nprint(x${index})`,
    outputs: [{ output_type: 'stream', name: 'stdout', text: `${'0123456789 '.repeat(20)}\n` }],
  }))
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }
}
