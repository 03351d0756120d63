import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A command line for one of the crew. */
export interface Order {
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  input?: string | undefined
}

/** The result of an order. */
export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

const HAND = fileURLToPath(new URL('./crew-hand.js', import.meta.url))

/** The options of the run that say how long code runs before it is compiled for speed (test/tools/suite.js). */
const BRIEFLY = process.execArgv.filter((word) => word.startsWith('--interrupt-budget='))

/** Largest number of processes that work at once. Orders beyond that wait. */
const MOST = 3

/** Processes that have the built command line loaded, each of which runs one command after another; they end when this one does. */
export class Crew {
  readonly #idle: ChildProcess[] = []
  readonly #waiting: ((hand: ChildProcess) => void)[] = []
  #hired = 0

  async run(args: readonly string[], options: Omit<Order, 'args'>): Promise<Outcome> {
    const hand = await this.#next()
    hold(hand, true)
    hand.send({ args, ...options })
    const [outcome] = await Promise.race([once(hand, 'message'), lost(hand)])
    this.#free(hand)
    return outcome as Outcome
  }

  #next(): ChildProcess | Promise<ChildProcess> {
    const hand = this.#idle.pop()
    if (hand) return hand
    if (this.#hired === MOST) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#hired++
    // The test runner gets into every node process by NODE_OPTIONS, which it puts back in: it would be timed and counted with the
    // command.
    return spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...BRIEFLY, HAND], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
  }

  #free(hand: ChildProcess): void {
    const next = this.#waiting.shift()
    if (next) next(hand)
    else {
      hold(hand, false)
      this.#idle.push(hand)
    }
  }
}

/** Sets whether the test waits for the process. An idle one keeps no test from ending. */
function hold(hand: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    hand.ref()
    hand.channel?.ref()
  } else {
    hand.unref()
    hand.channel?.unref()
  }
}

async function lost(hand: ChildProcess): Promise<never> {
  const [code, signal] = await once(hand, 'exit')
  throw new Error(`The process that ran the command ended by itself: ${signal ?? code}.`)
}
