import { z } from 'zod'
import type { NotebookConfig } from '../../config.ts'
import { orDefault } from './fields.ts'

export const kernelId = z
  .string()
  .min(1)
  .nullish()
  .describe('A running kernel, as list_kernels shows them. It decides when notebook_name is given too.')

export const timeout = timeoutOf(0, 'Seconds that the execution may take; then it is interrupted.')

export const progressInterval = orDefault(z.int(), 5).describe(
  'Seconds between progress notifications, for clients that asked for them; 0 or less for none.',
)

export const stream = orDefault(z.boolean(), true).describe(
  'Close the reply with a short timeline of the execution. False: outputs alone.',
)

export function timeoutOf(preset: number, description: string) {
  return orDefault(z.int().min(0, 'a timeout cannot be negative; 0 means the default one'), preset).describe(
    `${description} 0 means the configured default; what is above the configured maximum counts as the maximum.`,
  )
}

type Limits = Pick<NotebookConfig, 'executionTimeoutSeconds' | 'maxExecutionTimeoutSeconds'>

export function toTimeoutSeconds(asked: number, limits: Limits): number {
  return Math.min(asked === 0 ? limits.executionTimeoutSeconds : asked, limits.maxExecutionTimeoutSeconds)
}
