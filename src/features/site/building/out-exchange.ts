import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** The number of renameat2(2), by the names that Node has for processors. */
const RENAMEAT2: Readonly<Record<string, number>> = { x64: 316, arm64: 276, riscv64: 276, loong64: 276 }

/** Of renameat2(2): paths begin at the working folder; both are there, and each becomes the other. */
const [AT_FDCWD, RENAME_EXCHANGE] = [-100, 2]

/**
 * Exchanges two folders of one disk in a single step, so that at each moment there is one of them at either path: Linux can do that,
 * and Node can't ask for it. Returns false, with nothing changed, where the machine has no program for it (`mv` of coreutils 9.5,
 * or Perl), or its file system can't.
 */
export function exchanged(one: string, other: string): boolean {
  if (process.platform !== 'linux') return false
  const { ino } = statSync(one)
  return commands(one, other).some(([program, ...words]) => {
    spawnSync(program, words, { stdio: 'ignore' })
    return statSync(other).ino === ino
  })
}

function commands(one: string, other: string): [program: string, ...words: string[]][] {
  const number = RENAMEAT2[process.arch]
  const call = `syscall(${number}, ${AT_FDCWD}, $ARGV[0], ${AT_FDCWD}, $ARGV[1], ${RENAME_EXCHANGE})`
  return [
    ...(number === undefined ? [] : ([['perl', '-e', call, one, other]] as [string, ...string[]][])),
    ['mv', '--exchange', '--no-copy', '--no-target-directory', '--', one, other],
  ]
}
