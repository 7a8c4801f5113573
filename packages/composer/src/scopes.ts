/** What a key or a role may be allowed. */
export const SCOPES = [
  'tools:list',
  'tools:invoke',
  'servers:manage',
  'config:read',
  'config:write',
  'logs:read',
] as const
