import { createMembers } from './create-members.ts'
import type { MemberWork } from './members.ts'
import { createRemoteAgents, type RemoteAgentsOptions } from './remote-agents.ts'
import { type PeerOptions, type PeerTurn, startRuntimePeer } from './runtime-peer.fixture.ts'
import { createScriptedModels } from './scripted-model.fixture.ts'
import { runToEnd, workOf } from './work.fixture.ts'

/** No message may hold it. */
export const KEY = 'canary-key-81c2'

/** A runtime, and a member that is its agent `guide`. */
export async function openRemote(peerOptions: PeerOptions = {}, options: Partial<RemoteAgentsOptions> = {}) {
  const peer = await startRuntimePeer(peerOptions)
  const agents = createRemoteAgents({
    allowed: [{ url: peer.agentsUrl, key: KEY }],
    pauseMs: 1,
    ...options,
  })
  const models = createScriptedModels({})
  const agentUrl = `${peer.agentsUrl}guide`
  const member = { name: 'far', systemPrompt: 'You are far.', mcpToolsets: [], agentUrl }
  const members = createMembers({ models, tools: { toolsOf: async () => [] }, agents })
  const run = (change: Partial<MemberWork> = {}) => runToEnd(members, workOf({ member, ...change }))
  return { peer, agents, member, models, run }
}

/** The first time this, then the usual. */
export function first(play: (turn: PeerTurn) => void): (turn: PeerTurn) => void {
  let played = 0
  return (turn) => {
    played += 1
    if (played === 1) return play(turn)
    turn.say(`Answer ${turn.number}.`)
    turn.complete()
  }
}
