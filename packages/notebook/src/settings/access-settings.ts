import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'
import { SEEN, UNSET } from './upstream-settings.ts'

/** Whoever holds this may run every tool. Its own constant, because `connect` and `stop` send it. */
export const mcpTokenSetting = defineSettings({
  mcpToken: {
    flag: 'mcp-token',
    value: 'TEXT',
    env: ['MCP_TOKEN'],
    unset: UNSET,
    secret: true,
    schema: z
      .string()
      .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'may hold only letters, digits and - . _ ~ + /')
      .optional(),
    help: `the token that MCP clients must send; ${SEEN}`,
  },
})

/** How MCP clients reach the service, and how they show who they are. */
export const accessSettings = defineSettings({
  transport: {
    flag: 'transport',
    value: 'NAME',
    env: ['TRANSPORT'],
    schema: z.enum(['stdio', 'streamable-http'], 'must be stdio or streamable-http').default('stdio'),
    help: 'stdio for a client that starts this program itself, streamable-http for a server (default stdio)',
  },
  mode: {
    env: ['NOTEBOOK_MCP_MODE'],
    schema: z
      .enum(['MCP_SERVER', 'NOTEBOOK_SERVER'], 'must be MCP_SERVER or NOTEBOOK_SERVER')
      .default('MCP_SERVER'),
    help: 'set by the extension of a notebook server, which starts this program and stands before it',
  },
  socket: {
    env: ['NOTEBOOK_MCP_SOCKET'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'set by that extension too: the socket to listen on, in a folder that is removed at the end',
  },
  ...mcpTokenSetting,
  mcpTokenVerifier: {
    flag: 'mcp-token-verifier',
    value: 'MODULE',
    env: ['NOTEBOOK_MCP_TOKEN_VERIFIER'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'an ES module that judges tokens instead: export default (token) => ({ subject, scopes, expiresAt }) or null',
  },
  mcpJwksUrl: {
    flag: 'mcp-jwks-url',
    value: 'URL',
    env: ['MCP_JWKS_URL'],
    schema: z.string().optional(),
    help: 'take tokens of an authorization server, which has its public keys here',
  },
  mcpIssuer: {
    flag: 'mcp-issuer',
    value: 'URL',
    env: ['MCP_ISSUER'],
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    help: 'the authorization server: what a token must name as its issuer',
  },
  mcpAudience: {
    flag: 'mcp-audience',
    value: 'TEXT',
    env: ['MCP_AUDIENCE'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'what a token must name as its audience, as a rule the address of this server with /mcp',
  },
  insecureMcpNoauth: {
    flag: 'insecure-mcp-noauth',
    env: ['INSECURE_MCP_NOAUTH'],
    schema: z.boolean().default(false),
    help: 'ask nobody for a token: whoever reaches the port may run code',
  },
})
