import t from 'tap'
import { NotLetIn, Semaphore } from '#lib/concurrency/semaphore.ts'

function work(): { promise: Promise<void>; end(): void } {
  let end = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    end = resolve
  })
  return { promise, end }
}

t.test('so many pieces of work go on at once, and none waits behind one while another place is free', async (t) => {
  const semaphore = new Semaphore(2)
  const [long, short] = [work(), work()]
  const order: string[] = []
  const one = semaphore.run(() => long.promise)
  const two = semaphore.run(() => short.promise)
  const others = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(async () => void order.push(name)))
  t.same(order, [])
  short.end()
  await Promise.all([two, ...others])
  t.same(order, ['a', 'b', 'c', 'd'], 'behind the short one alone')
  long.end()
  await one
})

t.test('a place is free again after what fails', async (t) => {
  const semaphore = new Semaphore(1)
  await t.rejects(
    semaphore.run(async () => {
      throw new Error('no')
    }),
    /no/,
  )
  t.equal(await semaphore.run(async () => 1), 1)
})

t.test('too many that wait, and those that come after the end, are not let in', async (t) => {
  const semaphore = new Semaphore(1, 1)
  const long = work()
  const nothing = async () => undefined
  const isNotLetIn = async (run: Promise<unknown>) => (await run.catch((error: unknown) => error)) instanceof NotLetIn
  const first = semaphore.run(() => long.promise)
  const second = isNotLetIn(semaphore.run(nothing))
  t.ok(await isNotLetIn(semaphore.run(nothing)))
  semaphore.close()
  t.ok(await second)
  t.ok(await isNotLetIn(semaphore.run(nothing)))
  long.end()
  await first
})

t.test('lines have their turns one after the other, and the longest gives way', async (t) => {
  const semaphore = new Semaphore(1, 7)
  const long = work()
  const order: string[] = []
  const first = semaphore.run(() => long.promise)
  const asked = (name: string, ...line: string[]) =>
    semaphore
      .run(async () => void order.push(name), line)
      .catch((error: unknown) => void order.push(`${error instanceof NotLetIn} ${name}`))
  const many = [1, 2, 3, 4, 5].map((n) => asked(`a${n}`, 'a', 'one'))
  const all = [...many, asked('x', 'a', 'two'), asked('b1', 'b', 'one'), asked('b2', 'b', 'one'), asked('c1', 'c', 'one')]
  await Promise.all(many.slice(-2))
  t.same(order, ['true a5', 'true a4'], 'only who asked most is not let in')
  long.end()
  await Promise.all([first, ...all])
  t.same(order.slice(2), ['a1', 'b1', 'c1', 'x', 'b2', 'a2', 'a3'])
})
