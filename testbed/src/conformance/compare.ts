import type { ConformanceResult } from '../foreign-clients.ts'

export interface ScenarioOutcome {
  readonly verdict: 'passed' | 'failed' | 'unscored' | 'absent'
  /** Checks that succeeded; a scenario can pass with fewer, because a warning does not fail it. */
  readonly passedChecks: number
}

export interface ScenarioDifference {
  readonly scenario: string
  readonly reference: ScenarioOutcome
  readonly subject: ScenarioOutcome
}

export interface ConformanceComparison {
  /** Scenarios with the same verdict and the same number of checks. */
  readonly same: readonly string[]
  /** Worse than the reference: another verdict than its `passed`, or fewer checks. */
  readonly lost: readonly ScenarioDifference[]
  readonly gained: readonly ScenarioDifference[]
}

/** Holds a server against another one, scenario by scenario: what a gateway loses of the server behind it. */
export function compareConformance(
  reference: ConformanceResult,
  subject: ConformanceResult,
): ConformanceComparison {
  const names = [...new Set([...scenariosOf(reference), ...scenariosOf(subject)])].sort()
  const pairs = names.map((scenario) => ({
    scenario,
    reference: outcomeOf(reference, scenario),
    subject: outcomeOf(subject, scenario),
  }))
  return {
    same: pairs.filter((pair) => rank(pair) === 0).map(({ scenario }) => scenario),
    lost: pairs.filter((pair) => rank(pair) < 0),
    gained: pairs.filter((pair) => rank(pair) > 0),
  }
}

function rank({ reference, subject }: ScenarioDifference): number {
  const passes = Number(subject.verdict === 'passed') - Number(reference.verdict === 'passed')
  return passes === 0 ? subject.passedChecks - reference.passedChecks : passes
}

function outcomeOf(
  { passed, failed, unscored, output }: ConformanceResult,
  scenario: string,
): ScenarioOutcome {
  const line = output
    .split('\n')
    .find((text) => /^[✓✗] /.test(text) && text.slice(2).startsWith(`${scenario}: `))
  const passedChecks = Number(/: (\d+) passed/.exec(line ?? '')?.[1] ?? 0)
  if (passed.includes(scenario)) return { verdict: 'passed', passedChecks }
  if (failed.includes(scenario)) return { verdict: 'failed', passedChecks }
  return { verdict: unscored.includes(scenario) ? 'unscored' : 'absent', passedChecks }
}

function scenariosOf({ passed, failed, unscored }: ConformanceResult): readonly string[] {
  return [...passed, ...failed, ...unscored]
}
