import { z } from 'zod'

/** The values of components, by https://a2ui.org/specification/v0_9/common_types.json: literals, paths into the data model, calls of the renderer's functions. */

const DataBinding = z.object({ path: z.string() })
const RETURN_TYPES = ['string', 'number', 'boolean', 'array', 'object', 'any', 'void'] as const
const FunctionCall = z.object({
  call: z.string(),
  args: z.record(z.string(), z.unknown()),
  returnType: z.enum(RETURN_TYPES).optional(),
})

export const DynamicBoolean = z.union([z.boolean(), DataBinding, FunctionCall])
export const DynamicString = z.union([z.string(), DataBinding, FunctionCall])
export const DynamicNumber = z.union([z.number(), DataBinding, FunctionCall])
export const DynamicStringList = z.union([z.array(z.string()), DataBinding, FunctionCall])
const DynamicValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.unknown()),
  DataBinding,
  FunctionCall,
])

export const ComponentId = z.string()

export const ChildList = z.union([
  z.array(ComponentId),
  /** One child for each entry of a list in the data model. */
  z.object({ componentId: ComponentId, path: z.string() }),
])

export const Action = z.union([
  z.object({
    event: z.object({ name: z.string(), context: z.record(z.string(), DynamicValue).optional() }),
  }),
  z.object({ functionCall: FunctionCall }),
])

/** For components that check what was put into them. */
export const checkable = Object.freeze({
  checks: z.array(z.object({ condition: DynamicBoolean, message: z.string() })).optional(),
  isValid: z.boolean().optional(),
  validationErrors: z.array(z.string()).optional(),
})

export const Accessibility = z.object({
  label: DynamicString.optional(),
  description: DynamicString.optional(),
})
