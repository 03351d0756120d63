/** A module that took longer than it may. */
export class TookTooLong extends Error {
  constructor(milliseconds: number) {
    super(`It took over ${milliseconds / 1000} s.`)
  }
}

/**
 * Resolves as `work` does, or rejects after some milliseconds: what is begun goes on, and nobody waits for it. What is thrown at once
 * rejects, too.
 */
export async function within<T>(milliseconds: number, work: () => Promise<T> | T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(milliseconds)), milliseconds)
  })
  try {
    return await Promise.race([(async () => work())(), late])
  } finally {
    clearTimeout(timer)
  }
}
