import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import { type Citation, judge, type Ledger } from './gate.ts'
import { clauses } from './ledger.ts'
import { notYetBuilt } from './not-yet-built.ts'

const FAULTS_SHOWN = 40

/** Ends a run with the ledger's verdict and, as the last line of the process, `N passed, N failed`. */
export default class LedgerReporter implements Reporter {
  readonly #ledger: Ledger
  readonly #tally = { passed: 0, failed: 0, skipped: 0 }
  #vitest: Vitest | undefined

  constructor(options: { ledger?: Ledger } = {}) {
    this.#ledger = options.ledger ?? { clauses, notYetBuilt }
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    if (!vitest.config.watch) process.once('exit', (code) => this.#printLastLine(code))
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): Promise<void> {
    for (const module of modules) this.#count(module)
    this.#tally.failed += unhandledErrors.length
    for (const test of modules.flatMap((module) => [...module.children.allTests('passed')]))
      tellSecondTry(test)
    if (this.#vitest === undefined || !(await isComplete(this.#vitest, modules, reason))) return

    const { summary, faults } = judge(this.#ledger, citationsOf(modules))
    const hidden = faults.length - FAULTS_SHOWN
    for (const fault of faults.slice(0, FAULTS_SHOWN)) console.error(`ledger: ${fault}`)
    if (hidden > 0) console.error(`ledger: and ${hidden} more`)
    console.log(summary)
    if (faults.length === 0) return
    this.#tally.failed += 1
    process.exitCode = 1
  }

  #count(module: TestModule): void {
    const states = [...module.children.allTests()].map((test) => test.result().state)
    this.#tally.passed += states.filter((state) => state === 'passed').length
    this.#tally.skipped += states.filter((state) => state === 'skipped').length
    const failed = states.filter((state) => state === 'failed' || state === 'pending').length
    this.#tally.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
  }

  #printLastLine(exitCode: number): void {
    const { passed, skipped } = this.#tally
    // What fails outside every test, such as the global setup, must not end in "0 failed".
    const failed = exitCode === 0 ? this.#tally.failed : Math.max(this.#tally.failed, 1)
    console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}

/** A second try is no secret: its first failure is a defect of the test or of what it tests. */
function tellSecondTry(test: TestCase): void {
  if (!test.diagnostic()?.flaky) return
  const reason = test.result().errors?.[0]?.message.split('\n')[0] ?? 'no reason is known'
  console.error(`second try: ${test.module.relativeModuleId} > ${test.fullName}: ${reason}`)
}

/** Only a run of every test of every file can say what is not proven. */
async function isComplete(
  vitest: Vitest,
  modules: readonly TestModule[],
  reason: TestRunEndReason,
): Promise<boolean> {
  const { watch, testNamePattern, tagsFilter, cliExclude, cliOptions } = vitest.config
  if (watch || reason === 'interrupted') return false
  if (testNamePattern || tagsFilter || cliExclude || cliOptions.dir || cliOptions.project) return false
  const ran = new Set(modules.map((module) => module.moduleId))
  const specifications = await vitest.globTestSpecifications()
  return specifications.every((specification) => ran.has(specification.moduleId))
}

function citationsOf(modules: readonly TestModule[]): Citation[] {
  return modules
    .flatMap((module) => [...module.children.allTests()])
    .flatMap((test) =>
      (test.meta().verifies ?? []).map((id) => ({ id, test: test.fullName, passed: isProof(test) })),
    )
}

/** A test that is expected to fail passes without proving anything. */
function isProof(test: TestCase): boolean {
  return test.result().state === 'passed' && !test.options.fails
}
