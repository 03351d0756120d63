// `npm run test:growth`: does what is done with texts of strangers over texts that double, and fails where time grows worse than
// n log n, or where 1 MiB holds the event loop over 100 ms. Arguments choose courses and shapes by a part of their names. Each
// course has a process of its own.
import { fork } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Allowance } from './allowance.ts'
import { COURSES, type Course } from './courses.ts'
import { judge, type Verdict } from './judge.ts'
import { SHAPES, type Shape } from './shapes.ts'

/** A process that has said nothing and had the processor for so long is taken for one that will not come back. */
const SILENCE_MS = 60_000
const READY = 'ready'

const [course, shape, from] = process.argv.slice(2)
const isChild = process.send !== undefined
if (isChild) await measureAll(course ?? '', shape ?? '', Number(from))
else process.exitCode = (await overall(course ?? '', shape ?? '')) ? 0 : 1

function shapesOf({ kind }: Course, part: string): Shape[] {
  return SHAPES[kind].filter(({ name }) => name.includes(part))
}

async function measureAll(name: string, part: string, from: number): Promise<void> {
  const course = COURSES.find((known) => known.name === name)
  if (!course) throw new Error(`There is no course "${name}".`)
  tell(READY)
  for (const shape of shapesOf(course, part).slice(from)) {
    // Nobody listens any more where the one that began this was ended.
    if (!process.connected) return
    tell(judge((text) => course.prepare(text), shape, !course.inThread))
    await setImmediate()
  }
  process.disconnect()
}

/** Where nobody listens any more, that is no error. */
function tell(said: typeof READY | Verdict): void {
  process.send?.(said, undefined, undefined, () => undefined)
}

async function overall(coursePart: string, shapePart: string): Promise<boolean> {
  let bad = 0
  let done = 0
  const told = (course: Course, verdict: Verdict) => {
    done++
    if (verdict.fault === undefined) return
    bad++
    say(course, verdict)
  }
  for (const course of COURSES.filter(({ name }) => name.includes(coursePart))) {
    const shapes = shapesOf(course, shapePart)
    for (let at = 0; at < shapes.length; ) {
      const { verdicts, fault } = await measured([course.name, shapePart, String(at)], (verdict) => told(course, verdict))
      at += verdicts
      if (at >= shapes.length) break
      told(course, { shape: shapes[at]?.name ?? '', fault, times: [] })
      at++
    }
  }
  process.stdout.write(`${done} measured, ${bad} bad\n`)
  return bad === 0
}

/**
 * Has a process measure, and resolves with how many verdicts it gave, and why it ended. Throws where it does not even begin: none
 * after it would.
 */
function measured(words: readonly string[], told: (verdict: Verdict) => void): Promise<{ verdicts: number; fault: string }> {
  const child = fork(fileURLToPath(import.meta.url), words, { execArgv: process.execArgv })
  let fault = 'ends the process'
  let verdicts = 0
  let isReady = false
  const allowance = new Allowance(child.pid ?? 0, SILENCE_MS, () => {
    fault = 'does not come back'
    child.kill('SIGKILL')
  })
  child.on('message', (said: typeof READY | Verdict) => {
    allowance.renew()
    if (said === READY) isReady = true
    else {
      verdicts++
      told(said)
    }
  })
  // What it said last may come after its end, and before its channel is closed.
  const isOver = Promise.all(['exit', 'disconnect'].map((event) => new Promise((resolve) => child.once(event, resolve))))
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  return Promise.race([isOver, failed])
    .finally(() => allowance.end())
    .then(() => {
      if (!isReady) throw new Error(`The process of "${words[0]}" ended before it began to measure.`)
      return { verdicts, fault }
    })
}

function say(course: Course, { shape, fault, times }: Verdict): void {
  const list = times.map(({ size, ms }) => `${size / 1024}K ${ms.toFixed(0)}`).join(', ')
  process.stdout.write(`${course.name} · ${shape}: ${fault} (${list})\n`)
}
