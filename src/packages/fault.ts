import { PlacedFailure } from '#lib/errors.ts'

/** A package, manifest or lock that can't be used: a sentence says why, `hint` how to mend it. Line and column count from 1. */
export class PackageFault extends PlacedFailure {
  readonly status = 422
  readonly label = 'Validation failed'
  override readonly exit: number = 3
}

/** A package that is not to be believed: it is another than was named, or nobody who is trusted has signed it. */
export class NotTrusted extends PackageFault {
  override readonly exit = 6
}
