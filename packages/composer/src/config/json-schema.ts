import { z } from 'zod'
import { ConfigFile } from './schema/config-file.ts'

/** For editors, which then know every key of a file that begins with `#:schema`. Also kept as `quire.schema.json`. */
export function configJsonSchema(): z.core.JSONSchema.JSONSchema {
  return { title: 'Quire composer', ...z.toJSONSchema(ConfigFile, { io: 'input' }) }
}
