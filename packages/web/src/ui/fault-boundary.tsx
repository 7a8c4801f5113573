import { Component, type ReactNode } from 'react'

export interface FaultBoundaryProps {
  /** Said in place of what cannot be shown. */
  readonly message: string
  readonly children: ReactNode
}

interface FaultState {
  readonly hasFailed: boolean
}

/** A fault in what others wrote takes its own place on the page, and no more. A class, because React catches with nothing else. */
export class FaultBoundary extends Component<FaultBoundaryProps, FaultState> {
  override state: FaultState = { hasFailed: false }

  static getDerivedStateFromError(): FaultState {
    return { hasFailed: true }
  }

  /** What comes next may be sound again. */
  override componentDidUpdate({ children }: FaultBoundaryProps): void {
    if (this.state.hasFailed && children !== this.props.children) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    const { message, children } = this.props
    return this.state.hasFailed ? <p className="text-sm text-quiet">{message}</p> : children
  }
}
