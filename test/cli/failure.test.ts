import t from 'tap'
import { lines, reportOf } from '#cli/failure.ts'
import { Conflict, InvalidInput, NotFound, Unavailable } from '#lib/errors.ts'

t.test('how to mend a failure that does not say so itself goes by what it is about', async (t) => {
  const third = (failure: Error) => lines(reportOf(failure), 'cms new')[2]
  t.match(third(new Unavailable('The database is busy; try again.')), 'Run it again in a moment; `cms doctor` says more.')
  t.match(third(new Unavailable('It takes no writes.', 1, 'Name the primary.')), 'Name the primary.')
  t.match(
    third(new InvalidInput({ title: ['The title is required.'] })),
    'Give another value: --field title=…, then run it again.',
  )
  t.match(third(new Conflict('The slug is taken.')), /^Look at how it is now/)
  t.notMatch(third(new NotFound()), /--help/)
})
