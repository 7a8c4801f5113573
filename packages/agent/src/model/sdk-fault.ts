import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { faultOfAnswer, type ProviderFault, readFault } from './provider-fault.ts'

const REFUSALS = [UnsupportedFunctionalityError, InvalidPromptError, InvalidArgumentError] as const

/** What the packages of the AI SDK throw, beside what everything throws. */
export function readSdkFault(error: unknown): ProviderFault {
  const isRefusal = REFUSALS.some((kind) => kind.isInstance(error))
  if (!APICallError.isInstance(error)) return { ...readFault(error), isRefusal }
  const { statusCode, message, responseHeaders = {}, responseBody = '', isRetryable } = error
  return {
    ...faultOfAnswer({ status: statusCode, statusText: message, headers: responseHeaders }, responseBody),
    isUnanswered: statusCode === undefined && isRetryable,
  }
}
