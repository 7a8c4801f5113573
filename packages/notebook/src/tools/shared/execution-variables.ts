import { z } from 'zod'
import { toTsv } from './tsv.ts'

const shape = {
  name: z.string(),
  type: z.string(),
  repr: z.string().describe('A short form of the value'),
  length: z.int().optional().describe('Number of items or characters'),
  bytes: z.int().optional(),
  shape: z.array(z.int()).optional(),
  dtype: z.string().optional(),
  columns: z.array(z.string()).optional(),
}

/** A variable of a Python kernel. */
export const Variable = z.object({
  ...shape,
  doc: z.string().optional(),
  attributes: z.array(z.object(shape)).optional().describe('Of the one variable that was asked for'),
})
export type Variable = z.infer<typeof Variable>

type Plain = Omit<Variable, 'doc' | 'attributes'>

export function variableTable(variables: readonly Plain[]): string {
  const rows = variables.map((variable) => {
    const { name, type, repr, columns } = variable
    return [name, type, sizeOf(variable), columns ? `columns ${columns.join(', ')}` : repr]
  })
  return toTsv(['Name', 'Type', 'Size', 'Value'], rows)
}

export function variableText(variable: Variable): string {
  const { name, type, repr, columns, doc, attributes } = variable
  const size = sizeOf(variable)
  const lines = [`${name}: ${type}${size === '' ? '' : ` (${size})`}`, repr]
  if (columns) lines.push(`Columns: ${columns.join(', ')}`)
  if (doc !== undefined) lines.push('', doc)
  if (attributes && attributes.length > 0) lines.push('', 'Attributes:', variableTable(attributes))
  return lines.join('\n')
}

function sizeOf({ shape: sides, dtype, length, bytes }: Plain): string {
  const parts = [
    sides && `shape (${sides.join(', ')})`,
    dtype,
    length !== undefined && `length ${length}`,
    bytes !== undefined && `${bytes} bytes`,
  ]
  return parts.filter(Boolean).join(', ')
}
