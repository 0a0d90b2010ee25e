package importer

import (
	"context"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// pending is a file with the documents of its path. Once the service has read them, one remains:
// until then nobody knows which of them can be read.
type pending struct {
	path string
	// wanted has the content of the file, and others have what it replaces, newest first.
	wanted wire.ListedDocument
	others []wire.ListedDocument
	// replaces says that wanted was uploaded now, in place of others.
	replaces bool
}

// unread returns the documents whose outcome is needed. The others need not be read if the wanted
// one was.
func (p *pending) unread() (all []*wire.ListedDocument) {
	if p.wanted.Status == wire.DocumentSynced {
		return nil
	}
	for n := range p.others {
		if p.others[n].Status == wire.DocumentQueued {
			all = append(all, &p.others[n])
		}
	}
	if p.wanted.Status == wire.DocumentQueued {
		all = append(all, &p.wanted)
	}
	return all
}

// wait settles a file, at once if its documents have been read.
func (i *importer) wait(ctx context.Context, file *pending) error {
	if len(file.unread()) == 0 {
		return i.settle(ctx, file)
	}
	i.waiting = append(i.waiting, file)
	return nil
}

// settle removes what the file's document replaces. If it failed, the newest other one that can be
// read stays, and the failed one says why.
func (i *importer) settle(ctx context.Context, file *pending) error {
	if file.wanted.Status == wire.DocumentSynced {
		if file.replaces {
			i.say(&i.replaced, "replaced", file.path, "")
		}
		return i.remove(ctx, file.others)
	}
	why := file.wanted.Error
	readable := slices.IndexFunc(file.others, func(d wire.ListedDocument) bool { return d.Status == wire.DocumentSynced })
	rest := slices.Clone(file.others)
	if readable >= 0 {
		why += "; the document from before stays"
		rest = slices.Delete(rest, readable, readable+1)
	}
	i.say(&i.failed, "failed", file.path, why)
	return i.remove(ctx, slices.DeleteFunc(rest, func(d wire.ListedDocument) bool { return d.Error == errDeleted }))
}

// How long await waits between two looks, at first and at most.
const (
	pause     = 200 * time.Millisecond
	pauseMost = 2 * time.Second
)

const errDeleted = "somebody deleted it before it was read"

// await waits until the service has read the documents of all files, and settles them.
func (i *importer) await(ctx context.Context) error {
	for wait := time.Duration(0); len(i.waiting) > 0; wait = min(max(pause, 2*wait), pauseMost) {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		if err := i.lookAgain(ctx); err != nil {
			return err
		}
		settled := i.waiting[:0:0]
		i.waiting = slices.DeleteFunc(i.waiting, func(p *pending) bool {
			if len(p.unread()) > 0 {
				return false
			}
			settled = append(settled, p)
			return true
		})
		for _, file := range settled {
			if err := i.settle(ctx, file); err != nil {
				return err
			}
		}
		if len(settled) > 0 {
			wait = 0
		}
	}
	return nil
}

// lookAgain reads the states of the documents that were not read. These are the newest ones, so it
// reads no further than the oldest of them, unless one is missing.
func (i *importer) lookAgain(ctx context.Context) error {
	unread := map[string]*wire.ListedDocument{}
	var oldest float64
	for _, file := range i.waiting {
		for _, d := range file.unread() {
			if unread[d.ContentKey] = d; len(unread) == 1 || d.UploadDate < oldest {
				oldest = d.UploadDate
			}
		}
	}
	more := true
	for _, until := range []float64{oldest, 0} { // a clock that was set back has given newer ones an earlier time
		if !more {
			break
		}
		err := i.each(ctx, func(d wire.ListedDocument) bool {
			if one := unread[d.ContentKey]; one != nil {
				*one = d
				delete(unread, d.ContentKey)
			}
			more = len(unread) > 0 && d.UploadDate < until
			return len(unread) > 0 && !more
		})
		if err != nil || len(unread) == 0 {
			return err
		}
	}
	for _, one := range unread {
		one.Status, one.Error = wire.DocumentFailed, errDeleted
	}
	return nil
}
