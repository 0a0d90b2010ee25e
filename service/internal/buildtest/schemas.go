package buildtest

import "strings"

// firstSchema is the first commit with a database.
const firstSchema = "95de6120b62fd78dda3dfbe04135fd074dcd51ee"

// Schema is the steps of a database's schema as of a commit.
type Schema struct {
	// Commit is the first one with these steps, in seven digits.
	Commit string
	Steps  []Step
}

// Step is one of them: the name of its file, and its SQL.
type Step struct{ Name, SQL string }

// Has reports whether the name of a step has this end: the numbers at the beginning have changed.
func (s Schema) Has(end string) bool {
	for _, step := range s.Steps {
		if strings.HasSuffix(step.Name, end) {
			return true
		}
	}
	return false
}

// Schemas returns all schemas that were ever committed in a folder, which has been at these paths of the
// project. It reads the history, which a shallow clone lacks.
func Schemas(paths ...string) (all []Schema, err error) {
	if err := NeedHistory(firstSchema); err != nil {
		return nil, err
	}
	root, err := git(".", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root = strings.TrimSpace(root)
	commits, err := git(root, append([]string{"rev-list", "--full-history", "--reverse", "HEAD", "--"}, paths...)...)
	seen := map[string]bool{}
	for _, commit := range strings.Fields(commits) {
		if err != nil {
			return nil, err
		}
		var tree string
		if tree, err = treeAt(root, commit, paths); err == nil && !seen[tree] {
			seen[tree] = true
			var steps []Step
			steps, err = stepsOf(root, strings.TrimSpace(tree))
			all = append(all, Schema{commit[:7], steps})
		}
	}
	return all, err
}

// treeAt returns the folder that is at one of these paths in a commit.
func treeAt(root, commit string, paths []string) (tree string, err error) {
	for _, path := range paths {
		if tree, err = git(root, "rev-parse", commit+":"+path); err == nil {
			break
		}
	}
	return tree, err
}

func stepsOf(root, tree string) (steps []Step, err error) {
	names, err := git(root, "ls-tree", "--full-tree", "--name-only", tree)
	for _, name := range strings.Fields(names) {
		if err != nil {
			return nil, err
		}
		var text string
		text, err = git(root, "show", tree+":"+name)
		steps = append(steps, Step{name, text})
	}
	return steps, err
}
