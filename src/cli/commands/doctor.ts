import type { Command } from 'commander'
import type { HealthProblem } from '#core/backend.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT } from '../failure.ts'
import { type Output, table } from '../output.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms doctor', 'cms doctor --json'))
    .addHelpText('after', '\nExit code 1: something needs doing.')
    .action(act((call) => doctor(call)))
}

async function doctor(call: Call): Promise<Answer> {
  return withSite(call, async (site) => {
    const { diagnose } = await import('../checking/diagnosis.ts')
    const problems = await diagnose(site)
    const todo = problems.filter((problem) => problem.state === 'todo').length
    const message = todo === 0 ? 'Nothing needs doing.' : `${counted(todo, 'thing needs', 'things need')} doing.`
    call.output.say(message)
    const text = table(problems.map((problem) => row(problem, call.output)))
    const failed = todo > 0 ? { exit: EXIT.failed, message, hint: 'Each finding of state "todo" says what to do.' } : undefined
    return { data: { findings: problems.map((problem) => ({ ...problem })) }, text, failed }
  })
}

const STYLES = { ok: 'green', note: 'cyan', todo: 'yellow' } as const

function row({ name, state, says, hint }: HealthProblem, output: Output): string[] {
  return [output.paint(STYLES[state], state.padEnd(4), 'stdout'), name, hint ? `${says} ${hint}` : says]
}
