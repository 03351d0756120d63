import type { Access } from '#core/access/access.ts'
import type { RecordWrite, WriteCheck } from '#core/writes.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { ModuleContext } from '#module/context.ts'
import type { ModuleDefinition } from '#module/module.ts'
import { checkedErrors } from '../failures.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'

/** Milliseconds that a check has. */
const PATIENCE_MS = 250
/** Times in a row that a check is waited for in vain before it is not asked for a while, and the milliseconds of that. */
const MOST_LATE = 3
const REST_MS = 60_000

type Check = NonNullable<NonNullable<ModuleDefinition['checks']>['record.write']>

/** A module that looks at writes. */
export interface Checking {
  readonly name: string
  readonly check: Check
  readonly context: ModuleContext
  readonly isOn: () => boolean
}

const LATE = Symbol('late')

/** The checks of modules before a write. */
export class WriteChecks {
  readonly #checking: readonly Checking[]
  readonly #log: ModuleLog
  readonly #late = new Map<string, { count: number; until: number }>()

  constructor(checking: readonly Checking[], log: ModuleLog) {
    this.#checking = checking
    this.#log = log
  }

  /** Undefined where no module looks at writes. */
  get check(): WriteCheck | undefined {
    return this.#checking.length === 0 ? undefined : (access, write) => this.#all(access, write)
  }

  /** All are asked at once: the errors of several are put together. */
  async #all(access: Access, write: RecordWrite): Promise<FieldErrors | undefined> {
    // A module that writes in its own check would be asked for ever.
    const asked = this.#checking.filter(({ name, isOn }) => isOn() && access.id !== `module:${name}` && !this.#rests(name))
    const found = await Promise.all(asked.map((one) => this.#one(one, write)))
    const errors: FieldErrors = {}
    for (const some of found)
      for (const [field, messages] of Object.entries(some ?? {})) errors[field] = [...(errors[field] ?? []), ...messages]
    return Object.keys(errors).length > 0 ? errors : undefined
  }

  async #one({ name, check, context }: Checking, write: RecordWrite): Promise<FieldErrors | undefined> {
    const began = performance.now()
    try {
      const answer = await inTime(() => check(copied(write), context))
      if (answer === LATE) return this.#isLate(name, 'is passed over: it took more than 250 ms.')
      if (performance.now() - began > PATIENCE_MS) this.#tell(name, 'held a write up for more than 250 ms without a pause.')
      else this.#late.delete(name)
      return this.#errors(name, answer)
    } catch (error) {
      this.#log({
        level: 'error',
        module: name,
        message: `The check of a write failed, and is passed over: ${wordsOf(error)}`,
        error,
      })
      return undefined
    }
  }

  #errors(name: string, answer: unknown): FieldErrors | undefined {
    if (answer === undefined || answer === null) return undefined
    const errors = checkedErrors(answer)
    const isNone = typeof answer === 'object' && Object.keys(answer).length === 0
    if (!errors && !isNone) this.#tell(name, 'is passed over: its answer is not of the form `{ field: [message] }`.')
    return errors
  }

  #isLate(name: string, words: string): undefined {
    const count = (this.#late.get(name)?.count ?? 0) + 1
    const isOver = count >= MOST_LATE
    this.#late.set(name, { count: isOver ? 0 : count, until: isOver ? performance.now() + REST_MS : 0 })
    this.#tell(name, isOver ? `${words} It is not asked for a minute.` : words)
  }

  #rests(name: string): boolean {
    return (this.#late.get(name)?.until ?? 0) > performance.now()
  }

  #tell(module: string, words: string): void {
    this.#log({ level: 'warn', module, message: `The check of a write ${words}` })
  }
}

/** A module changes nothing of what is written. */
function copied(write: RecordWrite): RecordWrite {
  return structuredClone(write)
}

async function inTime(work: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), PATIENCE_MS)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
