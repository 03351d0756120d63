import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Server } from './server.ts'

/** The data that the test files of one run share about their server: its address, or the reason why there is none. */
interface Known {
  url: string
  port: number
  failed?: string
}

/** The process that a run is: tap, which starts each test file, or the test file itself where it is run by hand. */
const RUN = process.env.TAP === '1' ? process.ppid : process.pid

/** Time in milliseconds that one test file waits for another to start the server. */
const PATIENCE = 60_000

let address: Promise<string> | undefined

/** The address of the PostgreSQL that all test files of a run share: DATABASE_URL, else one that the first to ask starts. */
export function sharedServer(): Promise<string> {
  address ??= process.env.DATABASE_URL ? Promise.resolve(process.env.DATABASE_URL) : shared()
  return address
}

async function shared(): Promise<string> {
  const folder = folderOf(RUN)
  const { url, port, failed } = isFirst(folder) ? await start(folder) : await wait(folder)
  if (failed) throw new Error(failed)
  if (await answers(port)) return url
  // Of a run that had our number and was killed together with its server.
  rmSync(folder, { recursive: true, force: true })
  return shared()
}

function folderOf(run: number): string {
  return fileURLToPath(new URL(`../../.tap/postgres/${run}`, import.meta.url))
}

function isFirst(folder: string): boolean {
  mkdirSync(join(folder, '..'), { recursive: true })
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

async function start(folder: string): Promise<Known> {
  const known = await made(folder)
  writeFileSync(join(folder, 'making'), JSON.stringify(known))
  renameSync(join(folder, 'making'), join(folder, 'server.json'))
  return known
}

async function made(folder: string): Promise<Known> {
  try {
    // Nothing here is about what a machine that loses its power leaves on the disk; waiting for the disk would take most of the
    // time.
    const server = await Server.start(RUN, ['fsync=off', 'full_page_writes=off'], [folder])
    return { url: server.url, port: server.port }
  } catch (error) {
    return { url: '', port: 0, failed: error instanceof Error ? error.message : String(error) }
  }
}

async function wait(folder: string): Promise<Known> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    const known = read(folder)
    if (known) return known
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`The PostgreSQL of the tests was not started within a minute: see ${folder}.`)
}

function read(folder: string): Known | undefined {
  const file = join(folder, 'server.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
