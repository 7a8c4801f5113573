import { run } from './program.ts'
import { reportFailure } from './report-failure.ts'

try {
  await run(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error, process.stderr)
}
