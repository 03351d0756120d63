// `npm run test:growth`: does what is done with texts of strangers over texts that double, and fails where time grows worse than
// n log n, or where 1 MiB holds the event loop over 100 ms. Arguments choose courses and shapes by a part of their names. Each
// course has a process of its own.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COURSES, type Course } from './courses.ts'
import { judge, type Verdict } from './judge.ts'
import { SHAPES, type Shape } from './shapes.ts'

/** Without a word for so long, a process is taken for one that will not come back. */
const SILENCE_MS = 60_000

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
  for (const shape of shapesOf(course, part).slice(from))
    process.send?.(judge((text) => course.prepare(text), shape, !course.inThread))
  process.disconnect()
}

async function overall(coursePart: string, shapePart: string): Promise<boolean> {
  let bad = 0
  let done = 0
  for (const course of COURSES.filter(({ name }) => name.includes(coursePart))) {
    const shapes = shapesOf(course, shapePart)
    let at = 0
    while (at < shapes.length) {
      await new Promise<void>((resolve) => {
        const child = fork(fileURLToPath(import.meta.url), [course.name, shapePart, String(at)], { execArgv: process.execArgv })
        let fault = 'ends the process'
        const stop = () => {
          fault = 'does not come back'
          child.kill('SIGKILL')
        }
        let timer = setTimeout(stop, SILENCE_MS)
        child.on('message', (verdict: Verdict) => {
          clearTimeout(timer)
          timer = setTimeout(stop, SILENCE_MS)
          at++
          done++
          if (verdict.fault === undefined) return
          bad++
          say(course, verdict)
        })
        let ended = 0
        const end = () => {
          ended++
          // What it said last may come after its end.
          if (ended < 2) return
          clearTimeout(timer)
          if (at < shapes.length) {
            say(course, { shape: shapes[at]?.name ?? '', fault, times: [] })
            bad++
            at++
          }
          resolve()
        }
        child.on('exit', end)
        child.on('disconnect', end)
      })
    }
  }
  process.stdout.write(`${done} measured, ${bad} bad\n`)
  return bad === 0
}

function say(course: Course, { shape, fault, times }: Verdict): void {
  const list = times.map(({ size, ms }) => `${size / 1024}K ${ms.toFixed(0)}`).join(', ')
  process.stdout.write(`${course.name} · ${shape}: ${fault} (${list})\n`)
}
