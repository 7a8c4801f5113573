import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

/** Longer ones no timer can wait for. */
const MOST_SECONDS = 2_000_000
const MOST_BYTES = 16 * 1024 * 1024

const seconds = z.coerce
  .number('must be a number of seconds')
  .int('must be whole seconds')
  .min(1, 'must be at least 1 second')
  .max(MOST_SECONDS, `must be at most ${MOST_SECONDS} seconds`)

/** What the tools may do, and how much they answer. */
export const toolSettings = defineSettings({
  executionTimeout: {
    flag: 'execution-timeout',
    value: 'SECONDS',
    env: ['EXECUTION_TIMEOUT', 'JUPYTER_MCP_EXECUTION_TIMEOUT'],
    schema: seconds.default(120),
    help: 'how long code may run when the caller does not say (default 120)',
  },
  maxExecutionTimeout: {
    flag: 'max-execution-timeout',
    value: 'SECONDS',
    env: ['MAX_EXECUTION_TIMEOUT', 'JUPYTER_MCP_MAX_EXECUTION_TIMEOUT'],
    schema: seconds.default(3600),
    help: 'the most that a caller may ask for (default 3600)',
  },
  maxOutputBytes: {
    flag: 'max-output-bytes',
    value: 'BYTES',
    env: ['MAX_OUTPUT_BYTES'],
    schema: z.coerce
      .number('must be a number of bytes')
      .int('must be a whole number')
      .min(1024, 'must be at least 1024')
      .max(MOST_BYTES, `must be at most ${MOST_BYTES}`)
      .default(65_536),
    help: 'the most text of outputs that one reply shows (default 65536)',
  },
  noImages: {
    flag: 'no-images',
    env: ['NO_IMAGES'],
    schema: z.boolean().default(false),
    help: 'keep images out of replies',
  },
  allowImages: {
    env: ['ALLOW_IMG_OUTPUT'],
    schema: z
      .stringbool({
        truthy: ['1', 't', 'true', 'y', 'yes', 'on', 'enable', 'enabled'],
        falsy: ['0', 'f', 'false', 'n', 'no', 'off', 'disable', 'disabled'],
        error: 'must be 1 or 0 (or true, false, enable, disable)',
      })
      .default(true),
    help: 'the same the other way round, under the name that other servers have for it',
  },
  readOnly: {
    flag: 'read-only',
    env: ['READ_ONLY'],
    schema: z.boolean().default(false),
    help: 'offer no tool that writes or runs code',
  },
  allowedPaths: {
    flag: 'allowed-path',
    value: 'PATH',
    env: ['ALLOWED_PATH'],
    list: true,
    schema: z.array(z.string().min(1, 'must not be empty')).default([]),
    help: 'let tools touch only this folder or file of the server; may be given several times',
  },
  hooks: {
    flag: 'hooks',
    value: 'MODULE',
    env: ['NOTEBOOK_HOOKS'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'an ES module that is told of tool calls, executions and kernels, and may refuse them: export default (hooks) => { hooks.on(...) }',
  },
  auditFile: {
    flag: 'audit-file',
    value: 'FILE',
    env: ['AUDIT_FILE'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'append a line of JSON for every tool call to this file',
  },
  recordCode: {
    flag: 'record-code',
    env: ['RECORD_CODE'],
    schema: z.boolean().default(false),
    help: 'write code into the audit file and into traces, secrets in it included',
  },
})
