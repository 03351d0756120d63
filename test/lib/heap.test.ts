import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const source = fileURLToPath(new URL(`../../src/lib/heap.${import.meta.url.endsWith('.js') ? 'js' : 'ts'}`, import.meta.url))

/** The most bytes of heap that a process takes which keeps some 32 MB, and lets go of each part of it after a while. */
function mostOf(first: string): number {
  const work = `${first}
    const kept = []
    let most = 0
    for (let n = 0; n < 40_000; n++) {
      kept[n % 4000] = Array.from({ length: 1000 }, (_, i) => i + n)
      if (n % 100 === 0) most = Math.max(most, process.memoryUsage().heapTotal)
    }
    process.stdout.write(String(most))`
  const args = [...process.execArgv, '--input-type=module', '--eval', work]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

t.test('what is dead in a heap is collected sooner', async (t) => {
  const small = mostOf(`import { keepHeapSmall } from ${JSON.stringify(source)}\nkeepHeapSmall()`)
  const usual = mostOf('')
  t.ok(small < usual * 0.85, `${small} bytes beside ${usual}`)
})
