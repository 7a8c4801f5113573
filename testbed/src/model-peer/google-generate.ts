import type { EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

const FINISH = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', filtered: 'SAFETY' } as const

/** Text alone of the Gemini API. https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
export function createGoogleGenerate(): Wire {
  function chunk(body: object): string[] {
    return [`data: ${JSON.stringify(body)}\r\n\r\n`]
  }

  return {
    contentType: 'text/event-stream',
    begin: () => [],
    encode(act: EventAct) {
      if ('text' in act)
        return chunk({ candidates: [{ content: { role: 'model', parts: [{ text: act.text }] }, index: 0 }] })
      throw new Error('This wire is scripted for text alone.')
    },
    end(finish: PeerFinish, { input, output, cacheRead = 0 }: PeerUsage) {
      const content = { role: 'model', parts: [{ text: '' }] }
      return chunk({
        candidates: [{ content, finishReason: FINISH[finish], index: 0 }],
        usageMetadata: {
          promptTokenCount: input + cacheRead,
          candidatesTokenCount: output,
          totalTokenCount: input + cacheRead + output,
          cachedContentTokenCount: cacheRead,
        },
      })
    },
  }
}
