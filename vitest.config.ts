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
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['./testbed/src/global-setup.ts'],
    reporters: ['default', './spec/src/reporter.ts'],
  },
})
