import { z } from 'zod'
import { ComponentId } from './values.ts'

/** What we write. What we read may also be of the version before, which has the same messages. */
export const A2UI_VERSION = 'v0.9.1'
export const BASIC_CATALOG = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
export const A2UI_MEDIA_TYPE = 'application/a2ui+json'

export const Version = z.enum(['v0.9', A2UI_VERSION])
const SurfaceId = z.string()

/** The message alone does not say of which catalog a component is: see components.ts for those of ours. */
const AnyComponent = z.looseObject({
  component: z.string(),
  id: ComponentId.optional(),
  weight: z.number().optional(),
})

/** Agent to renderer: https://a2ui.org/specification/v0_9/server_to_client.json */
export const A2uiMessage = z.union([
  z.strictObject({
    version: Version,
    createSurface: z.strictObject({
      surfaceId: SurfaceId,
      catalogId: z.string(),
      theme: z.unknown().optional(),
      sendDataModel: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    version: Version,
    updateComponents: z.strictObject({ surfaceId: SurfaceId, components: z.array(AnyComponent).min(1) }),
  }),
  z.strictObject({
    version: Version,
    updateDataModel: z.strictObject({
      surfaceId: SurfaceId,
      path: z.string().optional(),
      value: z.unknown().optional(),
    }),
  }),
  z.strictObject({ version: Version, deleteSurface: z.strictObject({ surfaceId: SurfaceId }) }),
])
export type A2uiMessage = z.infer<typeof A2uiMessage>

/** Somebody used a component. */
export const ClientAction = z.strictObject({
  name: z.string(),
  surfaceId: SurfaceId,
  sourceComponentId: ComponentId,
  timestamp: z.iso.datetime(),
  context: z.record(z.string(), z.unknown()),
})
export type ClientAction = z.infer<typeof ClientAction>

const VALIDATION_FAILED = 'VALIDATION_FAILED'

/** The renderer could not do something. */
export const ClientError = z.union([
  z.strictObject({
    code: z.literal(VALIDATION_FAILED),
    surfaceId: SurfaceId,
    path: z.string(),
    message: z.string(),
  }),
  z.looseObject({
    code: z.string().refine((code) => code !== VALIDATION_FAILED),
    message: z.string(),
    surfaceId: SurfaceId,
  }),
])
