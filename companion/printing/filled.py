def scores(record): raise NotImplementedError
