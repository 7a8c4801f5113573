/** What a key may be allowed: to look at teams, to change teams and their tasks, to start and stop them. */
export const SCOPES = ['teams:read', 'teams:write', 'teams:run'] as const
