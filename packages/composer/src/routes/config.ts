import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { ComposerError } from '../composer-error.ts'
import {
  Config,
  ConfigApplied,
  type ConfigChanges,
  ConfigRequest,
  Failure,
  ConfigVerdict as WireVerdict,
} from '../contract.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerChanges } from '../supervisor/supervisor.ts'
import type { AppliedConfig, ConfigChange, ConfigVerdict } from './config-service.ts'
import { json, REFUSED, UNREADABLE } from './declare.ts'
import { foreseenChanges } from './foreseen-changes.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'

type ConfigParts = Pick<ComposerParts, 'config' | 'record' | 'supervisor'>

const tags = ['config']
const JSON_TYPE = 'application/json'
const TOML_TYPE = 'application/toml'

/** Not `required`: the JSON validator would then look at TOML, too. A body that is missing is refused by `readChange`. */
const request = {
  body: { content: { [JSON_TYPE]: { schema: ConfigRequest }, [TOML_TYPE]: { schema: z.string() } } },
}

export function mountConfig(
  app: ServiceApp,
  prefix: string,
  { config, record, supervisor }: ConfigParts,
): void {
  const read = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/config`,
    operationId: 'getConfig',
    summary: 'The configuration, its secrets masked; as TOML with its comments where that is accepted',
    security: needs('config:read'),
    responses: {
      ...REFUSED,
      200: {
        description: 'The configuration',
        content: { [JSON_TYPE]: { schema: Config }, [TOML_TYPE]: { schema: z.string() } },
      },
    },
  })
  app.openapi(read, (c) => {
    const { document, text, path, revision } = config.current()
    const headers = { etag: `"${revision}"`, 'cache-control': 'no-store' }
    const type = accepts(c, { header: 'Accept', supports: [JSON_TYPE, TOML_TYPE], default: JSON_TYPE })
    return type === TOML_TYPE
      ? c.body(text, 200, { ...headers, 'content-type': `${TOML_TYPE}; charset=utf-8` })
      : c.json({ config: { ...document }, path, revision }, 200, headers)
  })

  const replace = createRoute({
    tags,
    method: 'put',
    path: `${prefix}/config`,
    operationId: 'putConfig',
    summary: 'Write another configuration and apply it, or refuse all of it',
    description:
      'A masked secret that is sent back keeps its value. `revision`, or `If-Match` with the ETag, says what the change was made from.',
    security: needs('config:write'),
    request,
    responses: { ...REFUSED, ...UNREADABLE, 200: json('It is written and applied', ConfigApplied) },
  })
  app.openapi(replace, async (c) => {
    const change = await readChange(c, c.req.valid('json'))
    const applied = await recorded(c, record, { method: 'config/write', target: 'config' }, () =>
      config.replace(change),
    )
    return c.json(toApplied(applied, config.current().revision), 200)
  })

  const validate = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/config/validate`,
    operationId: 'validateConfig',
    summary: 'What is wrong with a configuration, or what it would change; nothing is started or changed',
    security: needs('config:read'),
    request,
    responses: { ...REFUSED, ...UNREADABLE, 200: json('The verdict', WireVerdict) },
  })
  app.openapi(validate, async (c) => {
    const verdict = await config.validate(await readChange(c, c.req.valid('json')))
    const present = supervisor.servers().map(({ definition }) => definition)
    return c.json(toVerdict(verdict, present), 200)
  })

  const reload = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/config/reload`,
    operationId: 'reloadConfig',
    summary: 'Read the file again; only servers that changed are restarted',
    security: needs('config:write'),
    responses: {
      ...REFUSED,
      200: json('It is applied', ConfigApplied),
      500: json('The file cannot be read', Failure),
    },
  })
  app.openapi(reload, async (c) => {
    const applied = await recorded(c, record, { method: 'config/reload', target: 'config' }, () =>
      config.reload(),
    )
    return c.json(toApplied(applied, config.current().revision), 200)
  })
}

async function readChange(c: Context<ServiceEnv>, body: ConfigRequest | string): Promise<ConfigChange> {
  const revision = /^(?:W\/)?"(.*)"$/.exec(c.req.header('if-match') ?? '')?.[1]
  const type = c.req.header('content-type')
  if (type?.toLowerCase().startsWith(TOML_TYPE)) return { text: await c.req.text(), revision }
  if (type === undefined || typeof body === 'string')
    throw new ComposerError(
      'VALIDATION_ERROR',
      `Send the configuration: {"config": {…}} as ${JSON_TYPE}, or the text as ${TOML_TYPE}.`,
    )
  return { document: body.config, revision: body.revision ?? revision }
}

function toVerdict(
  { valid, errors, warnings, next }: ConfigVerdict,
  present: readonly ServerDefinition[],
): WireVerdict {
  return {
    valid,
    errors: [...errors],
    warnings: [...warnings],
    ...(next && {
      changes: toChanges(foreseenChanges(present, next)),
      restart_required: [...next.restartRequired],
      ...(next.refusals.length > 0 && { refused: [...next.refusals] }),
    }),
  }
}

function toApplied({ document, changes, restartRequired }: AppliedConfig, revision: string): ConfigApplied {
  return {
    config: { ...document },
    revision,
    changes: toChanges(changes),
    restart_required: [...restartRequired],
  }
}

function toChanges({ added, removed, changed, unchanged }: ServerChanges): ConfigChanges {
  return {
    added: [...added],
    removed: [...removed],
    changed: [...changed],
    unchanged: [...unchanged],
  }
}
