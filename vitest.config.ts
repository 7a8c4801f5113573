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
    // Left alone, a machine of two cores would run one file after the other, and most of them wait for other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['./testbed/src/global-setup.ts'],
    reporters: ['default', './spec/src/reporter.ts'],
  },
})
