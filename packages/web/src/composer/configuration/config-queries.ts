import type { ConfigApplied, ConfigVerdict } from '@quire/composer/contract'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { request, send } from '../../services/request.ts'
import { COMPOSER_KEY } from '../composer-queries.ts'

const PATH = '/api/v1/config'
const TOML = 'application/toml'
const REFRESH_MS = 5_000
const TYPING_MS = 350
const KEY = [COMPOSER_KEY, 'config'] as const

export interface ConfigText {
  readonly text: string
  readonly revision: string
}

/** The file as it is now, secrets masked; asked again and again, for others may save too. */
export function useConfigText() {
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => readConfigText(signal),
    refetchInterval: REFRESH_MS,
  })
}

/** What the service says of a text, a moment after the typing pauses; what it would change depends on the file as it is now. */
export function useVerdict(text: string, revision: string) {
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const query = useQuery({
    queryKey: ['config-verdict', asked, revision],
    queryFn: ({ signal }) =>
      request<ConfigVerdict>('composer', `${PATH}/validate`, {
        method: 'POST',
        text: asked,
        headers: { 'content-type': TOML },
        signal,
      }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return { ...query, isUpToDate: asked === text && !query.isFetching && !query.isPlaceholderData }
}

export function useSaveConfig() {
  const queries = useQueryClient()
  return useMutation({
    async mutationFn({ text, revision }: ConfigText) {
      const applied = await request<ConfigApplied>('composer', PATH, {
        method: 'PUT',
        text,
        headers: { 'content-type': TOML, 'if-match': `"${revision}"` },
      })
      await queries.cancelQueries({ queryKey: KEY })
      // A secret that was written in clear is masked from now on.
      const saved = await readConfigText()
      queries.setQueryData(KEY, saved)
      return { applied, saved }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })
}

export function useReloadConfig() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => request<ConfigApplied>('composer', `${PATH}/reload`, { method: 'POST' }),
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })
}

async function readConfigText(signal?: AbortSignal): Promise<ConfigText> {
  const response = await send('composer', PATH, { headers: { accept: TOML }, ...(signal && { signal }) })
  const revision = /^(?:W\/)?"(.*)"$/.exec(response.headers.get('etag') ?? '')?.[1] ?? ''
  return { text: await response.text(), revision }
}
