/** With sessions, newest first. */
export const LEGACY_REVISIONS: readonly string[] = Object.freeze([
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
])
export const NEWEST_LEGACY = '2025-11-25'
/** The one revision that has batches. */
export const BATCH_REVISION = '2025-03-26'

/** Without sessions. Revisions are dates, so they compare as text. */
export const MODERN_REVISION = '2026-07-28'
/** Clients before it take the empty event at the head of a stream for a message. */
export const FIRST_PRIMED = '2025-11-25'

/** The envelope that each request of the era without sessions carries in `params._meta`. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

/** What the era without sessions has no more. */
export const LEGACY_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])
/** What the era with sessions did not have yet. */
export const MODERN_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen'])
