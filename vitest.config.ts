import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'spec/src/**/*.test.ts',
      'testbed/src/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'forks',
    // Starting a process for each file cost more than a tenth of the time; files must leave nothing behind that another would see.
    isolate: false,
    // Most files wait for other processes: with fewer, a machine of two cores would stand idle a third of the time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A busy machine takes seconds for what takes milliseconds on an idle one.
    expect: { poll: { timeout: 30_000 } },
    // docs/decisions/second-tries.md
    retry: process.env.CI === undefined ? 0 : 1,
    globalSetup: ['./testbed/src/global-setup.ts'],
    reporters: ['default', './spec/src/reporter.ts'],
  },
})
