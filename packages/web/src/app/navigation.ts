import {
  Bot,
  ChartLine,
  Gauge,
  House,
  Languages,
  type LucideIcon,
  NotebookText,
  ScrollText,
  Server,
  Settings2,
  Users,
  Wrench,
} from 'lucide-react'
import { isOnlyServed, type ServiceName } from '../services/served.ts'

export interface NavigationEntry {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
  readonly service?: ServiceName
}

export interface NavigationGroup {
  readonly title: string
  readonly entries: readonly NavigationEntry[]
}

export const NAVIGATION: readonly NavigationGroup[] = [
  { title: '', entries: [{ to: '/', label: 'Home', icon: House }] },
  {
    title: 'Work',
    entries: [
      { to: '/agents', label: 'Agents', icon: Bot, service: 'runtime' },
      { to: '/teams', label: 'Teams', icon: Users, service: 'teams' },
      { to: '/notebooks', label: 'Notebooks', icon: NotebookText, service: 'notebook' },
    ],
  },
  {
    title: 'Tools',
    entries: [
      ...(isOnlyServed('composer')
        ? []
        : [{ to: '/composer', label: 'Composer', icon: Gauge, service: 'composer' as const }]),
      { to: '/servers', label: 'Servers', icon: Server, service: 'composer' },
      { to: '/tools', label: 'Tools', icon: Wrench, service: 'composer' },
      { to: '/translators', label: 'Translators', icon: Languages, service: 'composer' },
      { to: '/logs', label: 'Logs', icon: ScrollText, service: 'composer' },
      { to: '/metrics', label: 'Metrics', icon: ChartLine, service: 'composer' },
      { to: '/configuration', label: 'Configuration', icon: Settings2, service: 'composer' },
    ],
  },
]
