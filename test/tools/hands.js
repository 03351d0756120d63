// The processes that `suite.js` has its test files run by (`hand.js`), and the tests that these are for tap.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Base } from 'tap'

/** Time in milliseconds that a process has to say that a file took too long, before it is killed. */
const GRACE = 10_000

/** Time in milliseconds that a process has to end: it drops schemas. */
const LEAVING = 60_000

/** A process that runs test files, one after another. */
export class Hand {
  #process
  #ended
  #take = () => undefined
  #message = () => undefined

  constructor(words) {
    const { NODE_OPTIONS, ...env } = process.env
    this.#process = spawn(words[0], words.slice(1), {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...env, TAP: '1', TEST_HAND: '1' },
    })
    this.#ended = this.#end()
    this.#process.stdout.setEncoding('utf8').on('data', (text) => this.#take(text))
    this.#process.on('message', (message) => this.#message(message))
  }

  /** False if it takes no more files. */
  get isThere() {
    return this.#process.connected
  }

  kill(signal) {
    this.#process.kill(signal)
  }

  /** Runs a file, and hands on what it writes. Returns why it failed, if not by what it wrote. */
  async run(file, script, timeout, write) {
    const mark = `\n# ${randomUUID()}\n`
    let [held, isDone] = ['', false]
    this.#take = (text) => {
      if (isDone) return
      held += text
      const at = held.indexOf(mark)
      isDone = at >= 0
      const end = isDone ? at : Math.max(held.length - mark.length, 0)
      write(held.slice(0, end))
      held = held.slice(end)
    }
    let timer
    const limit = (most) => {
      clearTimeout(timer)
      timer = setTimeout(() => this.kill('SIGKILL'), most + GRACE)
    }
    limit(timeout)
    const ready = new Promise((resolve) => {
      this.#message = (message) => {
        if (message.isReady) resolve()
        // Tap takes its own limit away when it is reached.
        if (message.limit > 0) limit(message.limit)
      }
    })
    this.#process.send({ file, script, timeout, mark }, () => undefined)
    const end = await Promise.race([ready.then(() => this.#until(() => isDone)), this.#ended])
    clearTimeout(timer)
    if (!isDone) write(held)
    if (end && end.code !== 0) return `its process ended with ${end.signal ?? end.code}`
    return isDone ? undefined : 'its process ended before it did'
  }

  /** Has it end. Returns whether it ended well; says so where it did not. */
  async leave() {
    if (this.isThere) this.#process.disconnect()
    const timer = setTimeout(() => this.kill('SIGKILL'), LEAVING)
    const { code, signal } = await this.#ended
    clearTimeout(timer)
    if (code !== 0) process.stderr.write(`A process of the tests ended with ${signal ?? code}.\n`)
    return code === 0
  }

  /** The event `close` does not come where we are the one that closes the channel. */
  async #end() {
    const [[code, signal]] = await Promise.all([once(this.#process, 'exit'), once(this.#process.stdout, 'end')])
    return { code, signal }
  }

  async #until(isSo) {
    while (!isSo()) await once(this.#process.stdout, 'data')
  }
}

/** Returns the class of a test file that a `Hand` runs: what tap is given as options it would print. */
export function handed(hand, script) {
  return class Handed extends Base {
    proc = hand

    async main(done) {
      this.parent.emit('spawn', this)
      const failed = await hand.run(this.name, script, this.options.timeout, (text) => this.parser.write(text))
      if (failed) {
        this.parser.write(`\nnot ok - ${failed}\n`)
        // What comes after the plan does not count by itself.
        this.parser.ok = false
      }
      this.parser.end()
      done()
    }
  }
}
