/** The four services by the path that `quire up` mounts them at. */
export interface ServiceEntry {
  readonly name: string
  readonly path: string
  readonly summary: string
}

export const services: readonly ServiceEntry[] = Object.freeze([
  {
    name: 'notebook',
    path: '/notebook',
    summary: 'agents open, edit and run notebooks on a Jupyter server',
  },
  {
    name: 'runtime',
    path: '/runtime',
    summary: 'agents as a service: prompts, conversations, toolsets',
  },
  { name: 'composer', path: '/composer', summary: 'many MCP servers behind one door' },
  {
    name: 'teams',
    path: '/teams',
    summary: 'teams of agents that share work: /teams/teams lists them',
  },
])
